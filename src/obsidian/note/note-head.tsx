import { render, type ComponentChildren, type ComponentProps } from 'preact';
import type { Undo } from '../../core/ports';
import type { Overview, OverviewState } from '../model/overview';
import type { Intents } from '../board/intents';
import { Button, Icon, IconButton, useAccessibleName } from '../ui/icon';
import { boardSession } from '../session/session-list';
import { keepFocus } from '../ui/focus';
import type { SourcePane } from './source-pane';
import { progress } from '../../core/board/facts';
import type { Board } from '../../core/board/task';
import { refusalWords, plainLine } from '../ui/text';
import { ProgressBar, stateLine, StateView, type StateLine } from '../session/state-line';
import { Banner } from '../ui/banner';
import { RepairBanner } from '../board/repairs';
import { t } from '../language/text';

type NoteHeadState = Omit<ComponentProps<typeof NoteBanner>, 'fault' | 'onTryAgain'> & {
  readonly news: string | undefined;
  readonly source: SourcePane | undefined;
};

/** Bar and banners above a note. */
export class NoteHead {
  private readonly bar: HTMLElement;
  private readonly release: Undo;

  constructor(
    view: HTMLElement,
    private readonly banner: HTMLElement,
    private readonly deps: {
      readonly overview: Overview;
      readonly today: () => string;
      readonly intents: Pick<Intents, 'openAsBoard' | 'openGraph'>;
    },
  ) {
    this.bar = createDiv();
    view.prepend(this.bar);
    this.release = keepFocus(view);
  }

  draw({ news, source, ...banner }: NoteHeadState): void {
    render(
      <NoteBar
        board={banner.board}
        state={this.deps.overview.state}
        today={this.deps.today()}
        news={news}
        conflicts={source?.conflicts ?? 0}
        onShowConflict={() => source?.nextConflict()}
        onGraph={() => this.deps.intents.openGraph(banner.board)}
        onBoard={() => this.deps.intents.openAsBoard(boardSession(banner.board))}
      />,
      this.bar,
    );
    render(
      <NoteBanner
        {...banner}
        fault={source?.fault ?? null}
        onTryAgain={() => void source?.pull()}
      />,
      this.banner,
    );
  }

  close(): void {
    this.release();
    render(null, this.bar);
    render(null, this.banner);
  }
}

/** The bar above a board's note: what its session is doing, whose plan it is, and its progress. */
export function NoteBar(props: {
  readonly board: Board;
  readonly state: Pick<OverviewState, 'sessions' | 'connection' | 'asks' | 'refusals'>;
  readonly today: string;
  /** what somebody else changed just now */
  readonly news?: string | undefined;
  /** number of lines with two versions */
  readonly conflicts?: number;
  readonly onShowConflict?: () => void;
  readonly onGraph: () => void;
  readonly onBoard: () => void;
}) {
  const { board, state, today, conflicts = 0 } = props;
  const session = state.sessions.find(({ id }) => id === board.session);
  const context = { online: state.connection.kind === 'connected', today, asks: state.asks };
  const refused = state.refusals.get(board.session);
  const { done, total } = progress(board);
  const title = plainLine(session?.title || board.title);
  const [named, name] = useAccessibleName(board.title);
  return (
    <div class="atb-note-bar" role="toolbar" {...named}>
      {name}
      {conflicts > 0 ? (
        <>
          <Icon name="git-merge" />
          <span class="atb-note-conflicts">{t('note.twoVersions', { count: conflicts })}</span>
          <Button words={t('note.show')} onClick={() => props.onShowConflict?.()} />
        </>
      ) : (
        <>
          <StateView line={barLine(stateLine(session, [board], context))} />
          <span>{props.news ?? (title === '' ? board.agent : `${board.agent} · ${title}`)}</span>
          <span class="atb-note-progress">
            {t('note.doneOf', { done, total })}
            <ProgressBar done={done} total={total} />
          </span>
        </>
      )}
      <IconButton icon="kanban" label={t('note.openAsBoard')} onClick={props.onBoard} />
      <IconButton icon="workflow" label={t('note.openAsGraph')} onClick={props.onGraph} />
      {refused !== undefined && (
        <span class="atb-note-refused" role="status">
          <Icon name="circle-alert" />
          {t('note.refusedBy', {
            agent: board.agent,
            refusals: refusalWords(refused),
            reason: refused.reason,
          })}
        </span>
      )}
    </div>
  );
}

/** Shortens the state line: the task in progress is in the note below. */
function barLine(line: StateLine): StateLine {
  return line.icon === 'spinner' ? { ...line, text: t('note.working') } : line;
}

interface NoteBannerProps {
  readonly board: Board;
  readonly mode: 'reading' | 'source';
  /** why the text is not saved */
  readonly fault: string | null;
  /** the note is too long to open in reading mode */
  readonly long: boolean;
  readonly onOpenAt: (line: number) => void;
  readonly onCheckAgain: () => void;
  readonly onTryAgain: () => void;
  readonly onReadAnyway: () => void;
  /** banner with problems of the file */
  readonly problems: ComponentChildren;
}

/** Warns about problems of the note before the person reads or edits it. */
function NoteBanner(props: NoteBannerProps) {
  const { board, fault, long, mode } = props;
  return (
    <>
      {fault !== null && (
        <Banner
          icon="circle-alert"
          tone="error"
          label={t('note.theBoardWasNotSaved')}
          text={t('note.changeIsKept', { fault })}
          buttons={[{ label: t('common.tryAgain'), onClick: props.onTryAgain }]}
        />
      )}
      <RepairBanner
        board={board}
        intents={{
          open: () => props.onOpenAt(board.broken?.line ?? 1),
          checkAgain: props.onCheckAgain,
        }}
      />
      {props.problems}
      {long && mode === 'source' && (
        <Banner
          icon="file-text"
          label={t('note.noteIsLong')}
          title={t('note.opensInSource')}
          text=""
          buttons={[{ label: t('note.readAnyway'), quiet: true, onClick: props.onReadAnyway }]}
        />
      )}
    </>
  );
}
