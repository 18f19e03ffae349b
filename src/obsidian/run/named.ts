/** "A", "A and B", "A, B and 3 more". */
export function named(tasks: readonly { readonly title: string }[]): string {
  const [first, second] = tasks;
  if (first === undefined) return '';
  if (second === undefined) return first.title;
  if (tasks.length === 2) return `${first.title} and ${second.title}`;
  return `${first.title}, ${second.title} and ${tasks.length - 2} more`;
}
