(function () {
  "use strict";
  function copyText(text, button) {
    function done() { button.textContent = "copied"; setTimeout(function () { button.textContent = "copy"; }, 1200); }
    function old() {
      var area = document.createElement("textarea");
      area.value = text; document.body.appendChild(area); area.select();
      document.execCommand("copy"); area.remove(); done();
    }
    if (navigator.clipboard) { navigator.clipboard.writeText(text).then(done, old); } else { old(); }
  }
  function textOf(node) {
    if (node.tagName !== "TABLE") return node.textContent;
    return Array.prototype.map.call(node.rows, function (row) {
      return Array.prototype.map.call(row.cells, function (cell) { return cell.textContent.trim(); }).join("\t");
    }).join("\n");
  }
  document.querySelectorAll("pre, table").forEach(function (node) {
    var line = document.createElement("div"), button = document.createElement("button");
    line.className = "copy"; button.type = "button"; button.textContent = "copy";
    button.setAttribute("aria-label", node.tagName === "TABLE" ? "copy this table" : "copy this text");
    button.addEventListener("click", function () { copyText(textOf(node), button); });
    line.appendChild(button); node.parentNode.insertBefore(line, node);
  });
  var box = document.getElementById("filter"), count = document.getElementById("matches");
  if (!box) return;
  box.closest(".tools").hidden = false;
  var items = Array.prototype.slice.call(document.querySelectorAll("[data-name]"));
  function plain(node) { node.querySelectorAll("mark").forEach(function (mark) { mark.replaceWith(mark.textContent); }); node.normalize(); }
  function highlight(node, words) {
    var walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), texts = [], text;
    while ((text = walker.nextNode())) texts.push(text);
    texts.forEach(function (text) {
      var lower = text.data.toLowerCase(), at = -1, word = "";
      words.forEach(function (candidate) {
        var found = lower.indexOf(candidate);
        if (found >= 0 && (at < 0 || found < at)) { at = found; word = candidate; }
      });
      if (at < 0) return;
      var hit = text.splitText(at), rest = hit.splitText(word.length), mark = document.createElement("mark");
      hit.replaceWith(mark); mark.appendChild(hit); highlight(wrap(rest), words);
    });
  }
  function wrap(text) { var span = document.createElement("span"); text.replaceWith(span); span.appendChild(text); return span; }
  function apply() {
    var words = box.value.toLowerCase().split(/\s+/).filter(Boolean), rows = 0, hits = 0;
    items.forEach(function (item) {
      var name = item.getAttribute("data-name").toLowerCase();
      var match = words.every(function (word) { return name.indexOf(word) >= 0; });
      if (item.tagName === "g") { item.classList.toggle("faint", !match); return; }
      item.hidden = !match;
      if (item.hasAttribute("data-row")) { rows += 1; if (match) hits += 1; }
      var target = item.querySelector(".name");
      if (target) { plain(target); target.querySelectorAll("span").forEach(function (s) { s.replaceWith(s.textContent); }); target.normalize(); if (match && words.length) highlight(target, words); }
    });
    count.textContent = words.length ? hits + " of " + rows + " rows" : "";
  }
  box.addEventListener("input", apply);
})();
