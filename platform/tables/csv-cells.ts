/** Cells of CSV (RFC 4180). What a spreadsheet would take for a formula begins with an apostrophe, since names are other people's to choose. */

export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
