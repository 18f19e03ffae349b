import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
// The plugin's path of a tool call without the app: rules, questions, audit and notes on disk.
import { PathResolver } from '../../src/core/permission/path-resolver';
import { NoteTextStore } from '../../src/core/permission/audit/note-text-store';
import { Redactor } from '../../src/core/permission/audit/redact';
import { PendingPermissions } from '../../src/core/permission/ask';
import { ProtectedPlaces } from '../../src/core/permission/protected-places';
import { fixedAccessRules } from '../../src/core/permission/access-rules';
import { compilePolicy } from '../../src/core/permission/policy';
import { readPermissions } from '../../src/core/permission/permissions';
import { CallResults } from '../../src/core/tool/call-results';
import { NoteIndex } from '../../src/core/tool/note/note-index';
import { noteTools } from '../../src/core/tool/note/note-tools';
import { ToolHost } from '../../src/core/tool/tool-host';
import { ProcessAudit, sha256 } from '../../src/node/audit/open-audit';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';
import { realPaths } from '../../src/node/real-paths';
import { DiskNotes } from '../../test/tool/disk-notes';
import { SeededRandom } from '../seeded';
import { randomNoteCall, NOTE_RULES } from '../note-calls';

/** Number of calls in flight. */
const AT_ONCE = 4;

const [vault = '', seed = '1', name = '', count = '0'] = process.argv.slice(2);
const random = new SeededRandom(Number(seed));
const store = new DiskStore(vault);
const permissions = readPermissions({ rules: NOTE_RULES });
if ('ok' in permissions) throw new Error('The rules of this run are none.');
const places = new ProtectedPlaces({ configFolder: '.obsidian', boardRoot: '.opencode/todos' });
const policy = compilePolicy(permissions, places);
const asks = new PendingPermissions(clock);
const notes = new DiskNotes(vault);
const index = new NoteIndex({ notes, hidden: () => false, pause: () => Promise.resolve() });
const texts = new NoteTextStore({ store, clock, digest: sha256, folder: `${AUDIT_FOLDER}-texts` });
const audit = new ProcessAudit({
  ...{ vault, kind: 'desk', clock },
  redactor: new Redactor(),
  log: { note: (message) => void process.stderr.write(`${message}\n`) },
  months: () => 12,
});
const host = new ToolHost({
  ...{ clock, ids, audit, asks, permitting: fixedAccessRules(() => policy) },
  tools: noteTools(notes, index),
  log: { note: (message) => void process.stderr.write(`${message}\n`) },
  boardRoot: () => '.opencode/todos',
  notes: {
    ...{ store, resolver: new PathResolver(realPaths(vault)), digest: sha256 },
    keep: (text) => texts.keep(text),
  },
});
const results = new CallResults(host);
asks.onChange(() => {
  const [ask] = asks.all();
  if (ask === undefined) return;
  const reply = random.next() < 0.7 ? 'once' : 'reject';
  setImmediate(() => asks.answer(ask.requestId, { reply }));
});

let last = 0;
async function work(): Promise<void> {
  while (last < Number(count)) {
    const callId = `${name}-${(last += 1)}`;
    const { tool, args } = randomNoteCall(random, callId);
    const call = { callId, tool, args, sessionId: 's1', agent: 'build' };
    const running = results.run(callId, call);
    const again = random.next() < 0.1 ? results.run(callId, call) : running;
    if (random.next() < 0.05) host.cancel(callId, 's1');
    const [answer] = await Promise.all([running, again]);
    const code = answer.ok ? 'ok' : answer.error.code;
    process.stdout.write(`${JSON.stringify({ callId, code })}\n`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
