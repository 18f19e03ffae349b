import { engineContract } from './engine-contract';
import { OPENCODE_KIND } from './opencode-kind';
import { startStock } from './stock-opencode';

engineContract('a stock OpenCode over HTTP', {
  ...OPENCODE_KIND,
  skipsGrace: true,
  start: startStock,
  taskTool: 'agent_boards_tasks',
});
