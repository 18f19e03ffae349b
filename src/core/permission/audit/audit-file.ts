/** Names of audit files: `2026-11.<writer>.jsonl`, from the second of a month `2026-11.<writer>.2.jsonl`. */
export interface AuditFileName {
  /** `YYYY-MM` */
  readonly month: string;
  /** from 1 */
  readonly part: number;
}

/** What writes audits: letters, digits, `_` and `-`; one for each process that may run at the same time. */
export function validWriter(writer: string): boolean {
  return /^[\w-]{1,64}$/.test(writer);
}

export function auditFile({ month, part }: AuditFileName, writer: string): string {
  return `${month}.${writer}${part === 1 ? '' : `.${part}`}.jsonl`;
}

/** Undefined for a file of another writer, and for any other file. */
export function readAuditFile(name: string, writer: string): AuditFileName | undefined {
  const found = anyAuditFile(name);
  return found?.writer === writer ? { month: found.month, part: found.part } : undefined;
}

/** Undefined for what is no file of the audit. */
export function anyAuditFile(
  name: string,
): (AuditFileName & { readonly writer: string }) | undefined {
  const [, month, writer, part] =
    /^(\d{4}-\d{2})\.([\w-]{1,64})(?:\.([1-9]\d*))?\.jsonl$/.exec(name) ?? [];
  if (month === undefined || writer === undefined) return undefined;
  return { month, writer, part: part === undefined ? 1 : Number(part) };
}

/** All that wrote one of these files, by name. */
export function writersOf(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => anyAuditFile(name)?.writer ?? []))].sort();
}

/** The writer's files among all names, in the order in which they were written. */
export function filesOf(names: readonly string[], writer: string): string[] {
  return names
    .flatMap((name) => {
      const read = readAuditFile(name, writer);
      return read === undefined ? [] : [{ name, ...read }];
    })
    .sort((a, b) => (a.month < b.month ? -1 : a.month > b.month ? 1 : a.part - b.part))
    .map(({ name }) => name);
}
