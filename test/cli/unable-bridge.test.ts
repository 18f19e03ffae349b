import { expect, test } from 'vitest';
import { openBareBridge } from '../bridge/bare-bridge';
import { cliRun } from './cli-run';

const cli = cliRun();

test('[CLI39] with nothing connected that starts sessions, a run is refused with what to do', async () => {
  const bridge = await openBareBridge(cli.vault);
  try {
    const { code, out, err } = await cli.run(['run', 'start', 'Do it']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('MCP is connected, and starts no sessions.');
    expect(err).toContain('Start OpenCode there (opencode, or opencode serve)');
  } finally {
    bridge.close();
  }
});
