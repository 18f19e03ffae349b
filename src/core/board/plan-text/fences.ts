/** The fence that a line opens or could close: its characters; undefined for any other line. */
export function fenceOf(line: string): string | undefined {
  return /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
}

/** Whether a line closes the fence that was opened so. */
export function closesFence(open: string, line: string): boolean {
  const fence = fenceOf(line);
  return fence !== undefined && fence.startsWith(open) && line.trim() === fence;
}

/** What stands in the fences of a text, one that is never closed up to its end. */
export function fences(text: string): readonly string[] {
  const found: string[] = [];
  let open: string | undefined;
  let inside: string[] = [];
  for (const line of text.split(/\r\n|[\r\n]/)) {
    if (open === undefined) {
      open = fenceOf(line);
      inside = [];
    } else if (closesFence(open, line)) {
      found.push(inside.join('\n'));
      open = undefined;
    } else inside.push(line);
  }
  if (open !== undefined) found.push(inside.join('\n'));
  return found;
}
