import { once } from 'node:events';
import { connect } from 'node:net';
import { checkNewSession } from './choose-board';
import { errorLog, faultLine } from './error-log';
import { usageExit, type Command } from './command';
import { vaultWarnings } from './open-vault';

/**
 * For an agent that `agent-boards serve` runs: forwards its input to that program, which answers
 * for its session.
 * @param socketTarget a secret, and the path of the socket
 */
async function forwardInput(socketTarget: string): Promise<void> {
  const at = socketTarget.indexOf(' ');
  const socket = connect(socketTarget.slice(at + 1));
  // The close event reports that the other end is gone.
  socket.on('error', () => undefined);
  socket.write(`${socketTarget.slice(0, at)}\n`);
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
    agent: { value: 'A', says: 'the name of the agent; else the name that the client gives' },
    session: {
      value: 'S',
      says: 'works on the boards of this session; starts it if there is none',
    },
  },
  async run(given, vault, environment) {
    const { folder } = vault;
    const socketTarget = environment.env['AGENT_BOARDS_LINE'];
    if (socketTarget !== undefined) {
      await forwardInput(socketTarget);
      return { code: 0, out: '', err: '' };
    }
    const choice = given.text('tools') ?? 'all';
    if (choice !== 'all' && choice !== 'tasks') return usageExit('--tools takes all or tasks.');
    const session = given.text('session');
    const note = (text: string): void => void process.stderr.write(`agent-boards mcp: ${text}\n`);
    if (session !== undefined) await checkNewSession(vault, session, note);
    for (const warning of await vaultWarnings(vault)) note(warning);
    // Loaded here, since no other command needs the protocol.
    const { serveMcp } = await import('../mcp/serve-mcp');
    await serveMcp({
      ...{ vault: folder, folder: environment.cwd, choice, stop: environment.untilStopped() },
      ...{ agent: given.text('agent'), session },
      log: errorLog((fault) => note(faultLine(fault))),
    });
    return { code: 0, out: '', err: '' };
  },
};
