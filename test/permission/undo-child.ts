// A process that undoes a change and dies at the step that its arguments name.
import { AuditLog } from '../../src/core/permission/audit/audit-log';
import { AuditReader } from '../../src/core/permission/audit/audit-reader';
import type { CallRow } from '../../src/core/permission/audit/audit-rows';
import { NoteTextStore } from '../../src/core/permission/audit/note-text-store';
import { Redactor } from '../../src/core/permission/audit/redact';
import { undoChange } from '../../src/core/permission/audit/undo-change';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { ProtectedPlaces } from '../../src/core/permission/protected-places';
import { AuditFiles, auditFolder, auditMark } from '../../src/node/audit/audit-folder';
import { sha256 } from '../../src/node/audit/open-audit';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { realPaths } from '../../src/node/real-paths';

const [root = '', callId = '', dieAt = '0'] = process.argv.slice(2);
let steps = 0;

/** Dies before a step, or after it. */
async function step<T>(work: () => Promise<T>): Promise<T> {
  die();
  const done = await work();
  die();
  return done;
}

function die(): void {
  steps += 1;
  if (steps === Number(dieAt)) process.kill(process.pid, 'SIGKILL');
}

const files = new AuditFiles(root, 'audit');
const store = auditFolder(files);
const notes = new DiskStore(root);
const deps = { mark: auditMark(files, 'plugin'), digest: sha256, clock: nodeClock };
const log = new AuditLog({ ...deps, store, redactor: new Redactor(), writer: 'plugin' });
const kept = new NoteTextStore({ store: notes, folder: 'kept', digest: sha256, clock: nodeClock });
const { rows } = await new AuditReader(store).refresh();
const row = rows.find((one): one is CallRow => one.kind === 'call' && one.intent.callId === callId);
if (row === undefined) throw new Error(`There is no call ${callId}.`);
const done = await undoChange(row, {
  store: {
    read: (path) => notes.read(path),
    stat: (path) => notes.stat(path),
    update: (path, edit) => step(() => notes.update(path, edit)),
  },
  kept: { read: (hash) => kept.read(hash), keep: (text) => step(() => kept.keep(text)) },
  audit: { append: (entry) => step(() => log.append(entry)) },
  resolver: new PathResolver(realPaths(root)),
  places: () => new ProtectedPlaces({ configFolder: '.obsidian', boardRoot: 'Boards' }),
  ...{ digest: sha256, ids: nodeIds, timeWords: String },
  trash: (path) => step(() => notes.remove(path)),
});
process.stdout.write(JSON.stringify({ done, steps }));
