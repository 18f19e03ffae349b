import type { App, Command, Plugin } from 'obsidian';
import type { ErrorHandler } from '../../core/error-handler';
import { pick } from '../ui/dialog';
import { commands } from '../ui/menu';
import { openView } from '../ui/open-view';
import { Banner } from '../ui/banner';
import type { ProblemEntry, Problems } from './problems';
import { PROBLEMS_VIEW, ProblemsView, type ProblemsDeps } from './problems-view';
import { t } from '../language/text';

/** The list of problems, and the banner on files that have some. */
export class ProblemsPanel {
  constructor(
    private readonly app: App,
    readonly problems: Problems,
    private readonly log: ErrorHandler,
  ) {}

  register(plugin: Plugin, shared: Omit<ProblemsDeps, 'problems' | 'clear' | 'pick'>): void {
    const deps: ProblemsDeps = {
      ...{ ...shared, problems: this.problems, clear: () => this.log.clear() },
      pick: (choices, words) => pick(this.app, choices, words, true),
    };
    plugin.registerView(PROBLEMS_VIEW, (leaf) => new ProblemsView(leaf, deps));
  }

  /** @param file whose first problem gets selected */
  readonly open = async (file?: string): Promise<void> => {
    const view = await openView(this.app, PROBLEMS_VIEW, 'tab');
    if (view instanceof ProblemsView && file !== undefined) view.show(file);
  };

  commands(): readonly Command[] {
    return commands(['open-problems', t('problems.open'), () => this.open()]);
  }

  /** The banner of a file; nothing if it has no problems. */
  banner(file: string) {
    return (
      <ProblemBanner problems={this.problems.forFile(file)} onShow={() => void this.open(file)} />
    );
  }
}

function ProblemBanner(props: {
  readonly problems: readonly ProblemEntry[];
  readonly onShow: () => void;
}) {
  const [first, ...others] = props.problems;
  if (first === undefined) return null;
  const label =
    others.length === 0 ? first.title : t('problems.inThisNote', { count: others.length + 1 });
  return (
    <div role="none">
      <Banner
        icon="triangle-alert"
        label={label}
        text={others.length === 0 ? first.text : first.title}
        buttons={[{ label: t('problems.show'), quiet: true, onClick: props.onShow }]}
      />
    </div>
  );
}
