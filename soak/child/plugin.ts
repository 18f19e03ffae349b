// The plugin's store and boards without the app: notes are written in place, under the shared lock.
import { TodoManager } from '../../src/core/board/todo-manager';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { vaultLock } from '../../src/node/vault-lock';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';
import { AGENT, makeEdits, SESSION, WAIT_SECONDS } from './edits';
import { InPlaceFiles } from './in-place-files';

const [vault = ''] = process.argv.slice(2);
const lock = vaultLock(vault, WAIT_SECONDS * 1000);
const store = new VaultStore(new InPlaceFiles(vault), { lock });
const faults = await store.recover();
if (faults.length > 0) throw new Error(faults.join(' '));
const manager = new TodoManager({ store, clock: nodeClock, ids: nodeIds });
await makeEdits(async (operations) => {
  const answer = await manager.call({ sessionId: SESSION, agent: AGENT }, { operations });
  return answer.ok ? undefined : answer.output;
});
