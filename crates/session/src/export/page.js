// Opens and closes everything. The page reads well without it.
(() => {
  const button = document.getElementById("expand");
  const all = [...document.querySelectorAll("details")];
  if (all.length === 0) return;
  const before = all.map((one) => one.open);
  let expanded = false;
  button.hidden = false;
  button.addEventListener("click", () => {
    expanded = !expanded;
    all.forEach((one, index) => (one.open = expanded || before[index]));
    button.textContent = expanded ? "Fold again" : "Expand all";
  });
})();
