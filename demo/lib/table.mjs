// A plain table: columns as wide as their widest cell, numbers to the right.

/** `columns` is a list of `{ title, right }`, each row a list of strings. */
export function table(columns, rows) {
  const widths = columns.map(({ title }, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells) =>
    cells
      .map((cell, i) => (columns[i].right ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  return [line(columns.map(({ title }) => title)), rule, ...rows.map(line)].join('\n');
}
