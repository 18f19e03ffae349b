/** The plugin's end of the connection, in a separate process: `plugin-child.mjs RUN-FILE-AS-JSON`. */
import { parseRunFile } from '../../../src/protocol/run-file';
import { LANES } from '../caller';
import { PluginEnd } from '../plugin-end';

const run = parseRunFile(process.argv[2] ?? '');
if (run === undefined) throw new Error('The argument has to be a run file.');
const end = new PluginEnd(run);
process.once('disconnect', () => end.close());
await end.attach(LANES);
process.send?.('attached');
