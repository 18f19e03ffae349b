import { AuditLog } from '../../src/core/permission/audit/audit-log';
import type { AuditStore, MarkedEnd } from '../../src/core/permission/audit/audit-store';
import { Redactor } from '../../src/core/permission/audit/redact';
import type { Clock } from '../../src/core/ports';
import { sha256 } from '../../src/node/audit/open-audit';

/** The audit as it is written, on a disk that takes no time. */
export function benchAudit(clock: Clock): AuditLog {
  let marked: MarkedEnd | undefined;
  return new AuditLog({
    ...{ clock, digest: sha256, redactor: new Redactor(), writer: 'bench' },
    store: new NullAuditStore(),
    mark: {
      load: () => Promise.resolve(marked),
      save: (end) => Promise.resolve(void (marked = end)),
    },
  });
}

class NullAuditStore implements AuditStore {
  list(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  read(): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  append(): Promise<void> {
    return Promise.resolve();
  }

  replace(): Promise<void> {
    return Promise.resolve();
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }
}
