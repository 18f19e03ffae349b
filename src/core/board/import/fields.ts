/**
 * The named values of one task as another program wrote it. Each is read leniently; what nobody asked
 * for is told by `unread`, so that an import can say what it left.
 */
export class Fields {
  private readonly asked = new Set<string>();

  private constructor(private readonly values: ReadonlyMap<string, unknown>) {}

  /** Undefined for what is no object. */
  static of(value: unknown): Fields | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return new Fields(new Map(Object.entries(value)));
  }

  /** The first of these names that has a value, null where none has. */
  value(...names: readonly string[]): unknown {
    let found: unknown = null;
    for (const name of names) {
      this.asked.add(name);
      const value = this.values.get(name);
      if (found === null && !isNothing(value)) found = value;
    }
    return found;
  }

  /** A text or a number as text, without white space around it; null for anything else. */
  text(...names: readonly string[]): string | null {
    return scalar(this.value(...names));
  }

  /** A list of texts and numbers; a single one is a list of one, and text with commas a list of its parts. */
  texts(...names: readonly string[]): readonly string[] {
    const value = this.value(...names);
    if (Array.isArray(value)) {
      return value.flatMap((one: unknown) => scalar(one) ?? []);
    }
    const text = scalar(value);
    return text === null ? [] : text.split(',').flatMap((part) => scalar(part) ?? []);
  }

  /** A list of objects. */
  records(...names: readonly string[]): readonly Fields[] {
    const value = this.value(...names);
    return Array.isArray(value) ? value.flatMap((one: unknown) => Fields.of(one) ?? []) : [];
  }

  /** Says that these are of no use here, and not worth a word. */
  skip(...names: readonly string[]): void {
    for (const name of names) this.asked.add(name);
  }

  /** The names that have a value and that nobody asked for. */
  unread(): readonly string[] {
    return [...this.values].flatMap(([name, value]) =>
      this.asked.has(name) || isNothing(value) ? [] : [name],
    );
  }
}

function scalar(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' ? null : text;
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}
