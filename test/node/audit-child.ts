import { Redactor } from '../../src/core/permission/audit/redact';
import { ProcessAudit } from '../../src/node/audit/open-audit';
import { nodeClock } from '../../src/node/node-ports';

/** Writes entries to the audit of a vault, and prints each that is on disk. */
const [vault = '', name = '', count = '0'] = process.argv.slice(2);
const redactor = new Redactor(() => ['the-secret-of-this-run']);
const audit = new ProcessAudit({
  vault,
  kind: 'bridge',
  clock: nodeClock,
  redactor,
  log: { note: () => undefined },
  months: () => 12,
});
for (let n = 1; n <= Number(count); n += 1) {
  const callId = `${name}-${n}`;
  await audit.append({
    kind: 'intent',
    callId,
    agent: 'build',
    tool: 'tasks',
    operation: 'tasks',
    dryRun: false,
    args: { text: 'the-secret-of-this-run' },
    verdict: 'allow',
    why: 'Allowed.',
  });
  await audit.append({ kind: 'outcome', callId, result: 'done' });
  process.stdout.write(`${callId}\n`);
}
