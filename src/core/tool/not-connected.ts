import type { ToolFault } from './tool-plan';

export const NOT_CONNECTED: ToolFault = {
  code: 'not_connected',
  message:
    'Nothing was done: the vault is not connected. Ask the person to open Obsidian on it, with Agent Task Boards switched on, and try again. The task tools work without.',
};
