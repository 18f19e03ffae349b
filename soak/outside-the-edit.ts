/** Lines of a header that every edit may raise. */
const RAISED = /^(rev|next):/;

/** The task that is edited, in whatever dialect a line has its id. */
const TARGET = /Target of the edit|k3f9-2 \^k3f9-2|[[(]id:: *k3f9-2[\])]/;

/** Lines with what ends them. */
function lines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

function withoutRaised(text: string): string[] {
  const all = lines(text);
  const end = all.findIndex((line, at) => at > 0 && /^---[ \t]*[\r\n]*$/.test(line));
  let raised = false;
  return all.filter((line, at) => {
    // A value that goes on in indented or empty lines is a value of the key above.
    raised = at < end && (RAISED.test(line) || (raised && /^\s/.test(line)));
    return !raised;
  });
}

/** What an edit changed that was not its own; undefined where all else is as it was. */
export function changedOutside(
  before: string,
  after: string,
  edit: 'status' | 'add',
): string | undefined {
  const [old, now] = [withoutRaised(before), withoutRaised(after)];
  if (edit === 'status') {
    if (old.length !== now.length) return `${old.length} lines became ${now.length}`;
    const others = old.filter((line, at) => line !== now[at] && !TARGET.test(line));
    return others[0] === undefined ? undefined : `changed ${JSON.stringify(others[0])}`;
  }
  let same = 0;
  while (same < old.length && old[same] === now[same]) same += 1;
  // A last line that nothing ended is ended when another follows.
  const ended = same === old.length - 1 && /^[^\r\n]+$/.test(old[same] ?? '');
  if (ended && now[same]?.replace(/[\r\n]+$/, '') === old[same]) same += 1;
  const rest = old.slice(same);
  const behind = now.slice(now.length - rest.length);
  if (rest.some((line, at) => line !== behind[at])) return `changed line ${same + 1}`;
  // A blank line may stand between a heading, or a fence that nobody closed, and the new task.
  const added = now.slice(same, now.length - rest.length).filter((line) => line.trim() !== '');
  return added.length === 1 ? undefined : `added ${JSON.stringify(added)}`;
}
