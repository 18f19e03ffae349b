import type * as z from 'zod';

export type ScriptResult<T> =
  { readonly ok: true; readonly script: T } | { readonly ok: false; readonly message: string };

/** Parses and validates a script; `message` names what is wrong by its path. */
export function readJson<T>(text: string, shape: z.ZodType<T>): ScriptResult<T> {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `The script is no JSON: ${why}.` };
  }
  const parsed = shape.safeParse(json, { error: plainMessage });
  if (parsed.success) return { ok: true, script: parsed.data };
  const problems = parsed.error.issues.slice(0, 5).map(describeIssue);
  const rest = parsed.error.issues.length - problems.length;
  if (rest > 0) problems.push(`and ${rest} more`);
  return { ok: false, message: `The script is not right: ${problems.join('; ')}.` };
}

function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'Is missing';
  if (issue.code === 'invalid_union' && issue.discriminator === 'do') {
    return 'Must be tick, status, rename, add or edit';
  }
  return undefined;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
  );
  const where = path.join('').replace(/^\./, '') || 'the whole';
  return `${where}: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
}
