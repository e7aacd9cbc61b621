addEventListener("load", () => location.replace(document.getElementById("target").href));
