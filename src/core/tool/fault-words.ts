/** What was thrown, in words for a model or the log, without a full stop at the end. */
export function faultWords(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
