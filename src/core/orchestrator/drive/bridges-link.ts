import type { Bridges } from '../../session/bridges';
import { knowsKeys } from '../../session/connection-state';
import type { RunLink } from './orchestrator-deps';

/** Whether OpenCode can be asked, by the connections to it: one that stands is enough. */
export function bridgesLink(connection: Pick<Bridges, 'state' | 'onState'>): RunLink {
  const up = (): boolean => connection.state.kind === 'connected';
  return {
    up,
    knowsKeys: () => knowsKeys(connection.state),
    onChange: (listener) => {
      let before = up();
      return connection.onState(() => {
        const now = up();
        if (now === before) return;
        before = now;
        listener();
      });
    },
  };
}
