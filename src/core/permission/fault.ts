/** What is expected to go wrong, as a value. `message` says what was wrong and what to do instead. */
export interface Fault<Code extends string = string> {
  readonly ok: false;
  readonly code: Code;
  readonly message: string;
}

export function fault<Code extends string>(code: Code, message: string): Fault<Code> {
  return { ok: false, code, message };
}
