const said = document.getElementById("said");
for (const button of document.querySelectorAll("[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  const label = button.firstChild;
  button.hidden = false;
  button.addEventListener("click", async () => {
    let done = "Copied";
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      getSelection().selectAllChildren(source);
      done = "Selected";
    }
    label.data = done;
    said.textContent = done === "Copied" ? "Copied." : "Selected: copy it with the keyboard.";
    setTimeout(() => { label.data = "Copy"; said.textContent = ""; }, 2500);
  });
}
