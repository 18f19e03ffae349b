import type { Command } from 'obsidian';
import type { OpenCodeDesk } from '../desk/opencode-desk';
import { when } from './when';

/** Commands about the OpenCode that is started from here; none is listed until that is turned on. */
export function openCodeCommands(openCode: OpenCodeDesk, showLog: () => void): readonly Command[] {
  const busy = () => openCode.busy;
  return [
    when(
      'start-opencode',
      'Start OpenCode',
      () => openCode.allowed && !busy(),
      () => openCode.start(),
    ),
    when('stop-opencode', 'Stop OpenCode', busy, () => openCode.stop()),
    when(
      'show-opencode-log',
      'Show log of OpenCode',
      () => busy() || openCode.state.kind === 'failed',
      showLog,
    ),
  ];
}
