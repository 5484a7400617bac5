// What is wider than the page is scrolled by keys too, and the button of the contents says that it is one.
addEventListener("load", () => {
  for (const wide of document.querySelectorAll("pre code, .equations, .table-wrapper")) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  }
  document.querySelector("label[for=mdbook-sidebar-toggle-anchor]")?.setAttribute("role", "button");
});
