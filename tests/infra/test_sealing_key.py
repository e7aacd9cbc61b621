"""The secret that the sign-in's key is made of."""

from __future__ import annotations

import json
import string

from hypothesis import given
from hypothesis import strategies as st

from docshelf.signin.sealing import SealingKeys
from infra.settings import Environment
from tests.support.template import Template

SECRET = "AWS::SecretsManager::Secret"

# A change of any of this has Secrets Manager make another text at the next deployment, which signs everybody out.
GENERATED = {
    "SecretStringTemplate": "{}",
    "GenerateStringKey": "generated",
    "PasswordLength": 64,
    "ExcludePunctuation": True,
    "IncludeSpace": False,
}


def test_the_key_is_generated_where_it_is_kept_and_always_in_the_same_way(template: Template) -> None:
    made = template.one(SECRET, "SealingKey")
    assert made["GenerateSecretString"] == GENERATED
    assert "SecretString" not in made


@given(st.text(string.ascii_letters + string.digits, min_size=64, max_size=64))
def test_the_sign_in_takes_whatever_is_generated(characters: str) -> None:
    document = json.loads(str(GENERATED["SecretStringTemplate"])) | {GENERATED["GenerateStringKey"]: characters}
    keys = SealingKeys.parse(json.dumps(document))
    assert keys.current == "generated"
    assert len(keys.keys[keys.current]) == 32


def test_the_key_outlives_its_stack_where_data_are_retained(template: Template, environment: Environment) -> None:
    resource = template.resources[template.id(SECRET, "SealingKey")]
    wanted = "Retain" if environment.retain_data else "Delete"
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == (wanted, wanted)


def test_the_sign_in_function_is_told_of_this_secret_and_not_of_its_text(template: Template) -> None:
    variables = template.one("AWS::Lambda::Function", "Functions/Signin")["Environment"]["Variables"]
    assert variables["DOCSHELF_SEALING_KEYS_SECRET"] == template.arn_of(template.id(SECRET, "SealingKey"))
    assert "DOCSHELF_SEALING_KEYS" not in variables
