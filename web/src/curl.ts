/**
 * The shell command that repeats a request. A key is never written into it: the command reads
 * $MESITA_API_KEY instead, so that it can be shown to a class or pasted in a mail.
 */
export function curlCommand(url: string, body: object, withKey: boolean): string {
  const lines = [`curl -N ${quote(url)}`, `-H 'Content-Type: application/json'`];
  if (withKey) lines.push(`-H "Authorization: Bearer $MESITA_API_KEY"`);
  lines.push(`-d ${quote(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
