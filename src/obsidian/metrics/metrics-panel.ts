import type { App, Command, Plugin } from 'obsidian';
import { figuresCsv } from '../../core/metrics/figures';
import type { Wait } from '../../core/metrics/file-sums';
import { MetricsReader, type Metrics } from '../../core/metrics/metrics';
import { isWaitOver, waitingTask } from '../../core/metrics/waiting-task';
import type { CoreServices } from '../app/core-services';
import { isoDate } from '../adapter/platform';
import { exportPath, notifyExported } from '../board/import-export';
import type { BoardWrites } from '../board/board-actions';
import { t } from '../language/text';
import type { Overview } from '../model/overview';
import { openBoard } from '../note/open-board';
import { pick, type PickItem } from '../ui/dialog';
import { commands } from '../ui/menu';
import { openView } from '../ui/open-view';
import { METRICS_VIEW, MetricsView } from './metrics-view';

interface MetricsPanelDeps {
  readonly app: App;
  readonly parts: Pick<CoreServices, 'store' | 'clock' | 'tools'>;
  readonly overview: Overview;
  readonly writes: BoardWrites;
  readonly openSession: (session: string) => unknown;
}

/** The user interface for the metrics of agents: view and command. */
export class MetricsPanel {
  constructor(private readonly deps: MetricsPanelDeps) {}

  /** @param shown called when one of our views is shown */
  register(plugin: Plugin, shown: () => void): void {
    const { parts, overview } = this.deps;
    const { store, clock, tools } = parts;
    const reader = new MetricsReader(store, (at) => isoDate(new Date(at)), tools.pause);
    const deps = {
      ...{ clock, overview, shown, read: () => reader.read() },
      exportCsv: (metrics: Metrics) => void this.exportCsv(metrics),
      opener: (wait: Wait) => this.opener(wait),
      pick: <T>(choices: readonly PickItem<T>[], words: string) =>
        pick(this.deps.app, choices, words, true),
    };
    plugin.registerView(METRICS_VIEW, (leaf) => new MetricsView(leaf, deps));
  }

  readonly open = (): Promise<unknown> => openView(this.deps.app, METRICS_VIEW, 'tab');

  commands(): readonly Command[] {
    return commands(['open-metrics', t('metrics.open'), this.open]);
  }

  /**
   * A function that opens what waited: its task, else its session; undefined if neither exists any
   * more.
   */
  private opener(wait: Wait): (() => unknown) | undefined {
    const { app, parts, overview, openSession } = this.deps;
    const found = waitingTask(wait, overview.state.boards);
    if (isWaitOver(wait, found)) return undefined;
    const [, session] = wait.k;
    if (found !== undefined) {
      return () => openBoard({ app, store: parts.store }, found.board, found.task, false);
    }
    return () => typeof session === 'string' && openSession(session);
  }

  private async exportCsv({ by, from, to, rows, total }: Metrics): Promise<void> {
    const { app, writes } = this.deps;
    await notifyExported(app, writes, async () => {
      const name = t('metrics.csvName', { from: from ?? '', to: to ?? '' });
      const path = exportPath(app, name, '.csv');
      const first = await app.vault.create(path, figuresCsv(by, rows, total));
      return { first, place: first.path };
    });
  }
}
