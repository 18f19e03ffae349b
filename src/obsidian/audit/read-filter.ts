import * as z from 'zod/mini';
import type { AuditFilter } from '../../core/permission/audit/audit-filter';

const text = z.optional(z.string());
const filter = z.object({
  ...{ text, session: text, agent: text, tool: text, task: text },
  ending: z.optional(
    z.enum([
      ...(['waiting', 'open', 'done', 'preview', 'denied'] as const),
      ...(['failed', 'cancelled', 'damaged'] as const),
    ]),
  ),
});

/** The filter that a view's kept state names; none where it can't be read. */
export function readFilter(value: unknown): AuditFilter {
  const read = filter.safeParse(value);
  return read.success ? definedOnly(read.data) : {};
}

function definedOnly(data: z.infer<typeof filter>): AuditFilter {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
