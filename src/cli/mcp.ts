import { once } from 'node:events';
import { connect } from 'node:net';
import { checkNewSession } from './choose-board';
import { errorLog, faultLine } from './error-log';
import { usage, type Command } from './command';
import { vaultWarnings } from './open-vault';

/**
 * For an agent that `agent-boards serve` runs: forwards its input to that program, which answers
 * for its session.
 * @param line a secret, and the path of the socket
 */
async function handOn(line: string): Promise<void> {
  const at = line.indexOf(' ');
  const socket = connect(line.slice(at + 1));
  // The close event reports that the other end is gone.
  socket.on('error', () => undefined);
  socket.write(`${line.slice(0, at)}\n`);
  process.stdin.pipe(socket).pipe(process.stdout);
  await once(socket, 'close').catch(() => undefined);
  process.stdin.pause();
}

/**
 * `agent-boards mcp`: serves a task board and the notes to a client of the Model Context Protocol.
 */
export const serveClient: Command = {
  name: 'mcp',
  takes: '',
  says: 'serves one MCP client over standard input and output, until it leaves',
  makesVault: true,
  options: {
    tools: { value: 'NAMES', says: 'all (if not given), or tasks: the task board alone' },
    agent: { value: 'A', says: 'the name that it works under; else the client says its own' },
    session: { value: 'S', says: 'goes on with the boards of this session' },
  },
  async run(given, vault, around) {
    const { folder } = vault;
    const line = around.env['AGENT_BOARDS_LINE'];
    if (line !== undefined) {
      await handOn(line);
      return { code: 0, out: '', err: '' };
    }
    const choice = given.text('tools') ?? 'all';
    if (choice !== 'all' && choice !== 'tasks') return usage('--tools takes all or tasks.');
    const session = given.text('session');
    const note = (text: string): void => void process.stderr.write(`agent-boards mcp: ${text}\n`);
    if (session !== undefined) await checkNewSession(vault, session, note);
    for (const warning of await vaultWarnings(vault)) note(warning);
    // Loaded here, since no other command needs the protocol.
    const { serveMcp } = await import('../mcp/serve-mcp');
    await serveMcp({
      ...{ vault: folder, folder: around.cwd, choice, stop: around.untilStopped() },
      ...{ agent: given.text('agent'), session },
      log: errorLog((fault) => note(faultLine(fault))),
    });
    return { code: 0, out: '', err: '' };
  },
};
