import '../../protocol/jitless';
import type { App } from 'obsidian';
import * as z from 'zod/mini';
import type { AuditMark, MarkedEnd } from '../../core/permission/audit/audit-store';

const KEY = 'agent-task-boards-audit';

const markedEnd = z.object({
  n: z.int().check(z.nonnegative()),
  hash: z.string(),
  from: z.int().check(z.positive()),
});
const marks = z.record(z.string(), markedEnd);

/** How far the audits of this device got, kept by the app beside the vault, where no agent writes. */
export class AuditMarks {
  constructor(private readonly app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>) {}

  /** Those that wrote here. */
  get writers(): readonly string[] {
    return [...this.all().keys()];
  }

  of(writer: string): AuditMark {
    return {
      load: () => Promise.resolve(this.all().get(writer)),
      save: (end) => {
        const all = this.all().set(writer, end);
        this.app.saveLocalStorage(KEY, Object.fromEntries(all));
        return Promise.resolve();
      },
    };
  }

  private all(): Map<string, MarkedEnd> {
    const read = marks.safeParse(this.app.loadLocalStorage(KEY));
    return new Map(Object.entries(read.success ? read.data : {}));
  }
}

/** How far another program's audit got, as it says in a file of its own. */
export function readMark(text: string | undefined): MarkedEnd | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // half written
  }
  const read = markedEnd.safeParse(value);
  return read.success ? read.data : undefined;
}
