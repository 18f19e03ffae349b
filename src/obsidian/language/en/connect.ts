import type { Messages } from '../message';

export const connectTexts = {
  connected: 'Connected',
  anotherVault: 'Another vault',
  notConnected: 'Not connected',
  unreadable: 'Its configuration can’t be read',
  connectAnAgent: 'Connect an agent',
  looking: 'Looking…',
  configurationsUnreadable: 'The configurations can’t be read.',
  howAgentsConnect:
    'An agent that speaks MCP can plan on the boards of this vault, even while Obsidian is closed. Run its command in a terminal: it shows what it changes in the agent’s configuration, and --remove undoes it. Or add the configuration yourself. Both need the command-line tool agent-boards on this computer.',
  connectedByBridge: 'Connected by the bridge',
  copyCommand: 'Copy command for {label}',
  configuration: 'Configuration',
  copyConfiguration: 'Copy configuration for {label}',
  instructions: 'Instructions for the model',
  instructionsHelp:
    'They tell the model when to plan on the board. The command adds them by itself; if you add the configuration yourself, put them into the agent’s instruction file, such as AGENTS.md.',
  copyInstructions: 'Copy instructions',
} as const satisfies Messages;
