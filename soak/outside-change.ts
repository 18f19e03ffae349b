/** Header lines that every edit may change. */
const COUNTER_LINES = /^(rev|next):/;

/** Matches the edited task, in every dialect of ids. */
const TARGET = /Target of the edit|k3f9-2 \^k3f9-2|[[(]id:: *k3f9-2[\])]/;

/** Splits a text into lines, each with its line end. */
function lines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

function withoutCounters(text: string): string[] {
  const all = lines(text);
  const end = all.findIndex((line, at) => at > 0 && /^---[ \t]*[\r\n]*$/.test(line));
  let raised = false;
  return all.filter((line, at) => {
    // Indented or empty lines continue the value of the key above.
    raised = at < end && (COUNTER_LINES.test(line) || (raised && /^\s/.test(line)));
    return !raised;
  });
}

/** Describes a change outside the edit; undefined if everything else is unchanged. */
export function findOutsideChange(
  before: string,
  after: string,
  edit: 'status' | 'add',
): string | undefined {
  const [old, now] = [withoutCounters(before), withoutCounters(after)];
  if (edit === 'status') {
    if (old.length !== now.length) return `${old.length} lines became ${now.length}`;
    const others = old.filter((line, at) => line !== now[at] && !TARGET.test(line));
    return others[0] === undefined ? undefined : `changed ${JSON.stringify(others[0])}`;
  }
  let same = 0;
  while (same < old.length && old[same] === now[same]) same += 1;
  // A last line without a line end gets one when another line follows.
  const ended = same === old.length - 1 && /^[^\r\n]+$/.test(old[same] ?? '');
  if (ended && now[same]?.replace(/[\r\n]+$/, '') === old[same]) same += 1;
  const rest = old.slice(same);
  const behind = now.slice(now.length - rest.length);
  if (rest.some((line, at) => line !== behind[at])) return `changed line ${same + 1}`;
  // The edit may add blank lines, as after a heading or an unclosed fence.
  const added = now.slice(same, now.length - rest.length).filter((line) => line.trim() !== '');
  return added.length === 1 ? undefined : `added ${JSON.stringify(added)}`;
}
