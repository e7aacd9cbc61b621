"""Put a previous version of the gauge service back, one region after the other."""

import argparse

REGIONS = ("eu-north", "eu-south", "us-east")


def roll_back(version: str, regions: tuple[str, ...] = REGIONS) -> list[str]:
    """Return the commands that switch each region to `version`, the busiest region last."""
    return [f"switch --region {region} --version {version}" for region in regions]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", required=True, help="the version to put back, such as 4.1.3")
    for command in roll_back(parser.parse_args().to):
        print(command)


if __name__ == "__main__":
    main()
