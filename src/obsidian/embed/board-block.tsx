import { MarkdownRenderChild, type App, type Plugin } from 'obsidian';
import { render } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { BoardApp } from '../board-view/board-app';
import { BoardPrefsStore } from '../board-view/board-prefs';
import { boardDialogs } from '../board-view/board-view';
import { boardTitle } from '../board-view/shown-boards';
import { GraphApp } from '../graph/graph-app';
import type { GraphDeps } from '../graph/use-graph';
import { useOverview, type OverviewState } from '../model/overview';
import { boardSession } from '../session/session-list';
import { Placeholders } from '../sidebar/empty-state';
import { Banner } from '../ui/banner';
import { keepFocus } from '../ui/focus';
import { Button } from '../ui/icon';
import { BLOCK_LANGUAGE, blockBoards, readBlock, type BlockSource } from './block-source';
import { FilteredOverview } from './filtered-overview';
import { PlanTree } from './plan-tree';
import { t } from '../language/text';

/** The drawn code blocks that show plans in notes. */
export class BoardBlocks {
  private readonly drawn = new Set<HTMLElement>();
  private count = 0;

  constructor(
    private readonly app: App,
    private readonly deps: GraphDeps,
  ) {}

  /** Whether one of them is visible. */
  get isAnyVisible(): boolean {
    return [...this.drawn].some((element) => element.isShown());
  }

  register(plugin: Plugin): void {
    plugin.registerMarkdownCodeBlockProcessor(BLOCK_LANGUAGE, (text, element, context) => {
      this.count += 1;
      const scope = `block-${this.count}-`;
      context.addChild(
        new BoardBlock(element, this.drawn, { app: this.app, deps: this.deps, text, scope }),
      );
    });
  }
}

interface BlockProps {
  readonly app: App;
  readonly deps: GraphDeps;
  readonly text: string;
  readonly scope: string;
}

/** One block, drawn as long as its part of the note is. */
class BoardBlock extends MarkdownRenderChild {
  constructor(
    element: HTMLElement,
    private readonly drawn: Set<HTMLElement>,
    private readonly props: BlockProps,
  ) {
    super(element);
  }

  override onload(): void {
    const { containerEl, drawn, props } = this;
    containerEl.addClass('atb-block');
    drawn.add(containerEl);
    this.register(keepFocus(containerEl));
    render(<Block {...props} />, containerEl);
    props.deps.shown();
  }

  override onunload(): void {
    this.drawn.delete(this.containerEl);
    render(null, this.containerEl);
  }
}

function Block(props: BlockProps) {
  const source = useMemo(() => readBlock(props.text), [props.text]);
  if ('problem' in source) return <Problem text={source.problem} />;
  return <Plans {...props} source={source} />;
}

function Problem({ text }: { readonly text: string }) {
  return (
    <Banner
      icon="circle-alert"
      tone="error"
      label={t('embed.cantBeShown')}
      text={text}
      buttons={[]}
    />
  );
}

type PlansProps = BlockProps & { readonly source: BlockSource };

function Plans(props: PlansProps) {
  const { deps, source } = props;
  const { loaded, ...state } = useOverview(deps.overview);
  const found = useMemo(() => blockBoards(state, source), [state.boards, state.sessions, source]);
  if (!loaded) return <Placeholders />;
  if ('problem' in found) return <Problem text={found.problem} />;
  const { boards, session } = found;
  const [first] = boards;
  if (first === undefined) {
    return (
      <Banner
        icon="list-checks"
        label={session === '' ? t('embed.noPlansYet') : t('embed.noPlanYet')}
        text={t('embed.showsHere')}
        buttons={[]}
      />
    );
  }
  if (boards.every(({ shelved }) => shelved === true)) {
    return (
      <Banner
        icon="archive"
        label={t('embed.sessionIsArchived')}
        text={t('embed.showsAgain')}
        buttons={[]}
      />
    );
  }
  const title = boardTitle(
    state,
    session === '' && boards.length === 1 ? boardSession(first) : session,
  );
  return (
    <section
      class="atb-block-body"
      data-view={source.view}
      aria-label={t(`embed.${source.view}Of`, { title })}
    >
      <View {...props} session={session} path={first.path} />
    </section>
  );
}

function View(props: PlansProps & { readonly session: string; readonly path: string }) {
  const { app, deps, source, session, path, scope } = props;
  const { intents, today, phone } = deps;
  const overview = useMemo(() => {
    const pickBoards = (state: OverviewState) => {
      const found = blockBoards(state, source);
      return 'problem' in found ? [] : found.boards;
    };
    return new FilteredOverview(deps.overview, pickBoards);
  }, [deps, source]);
  const prefs = useMemo(() => blockPrefs(session, source.filter), [session, source.filter]);
  const onAll = useCallback(() => intents.openAsBoard(session), [intents, session]);
  switch (source.view) {
    case 'list':
    case 'progress':
      return (
        <PlanTree
          {...{ overview, intents, today, phone, scope, onAll }}
          filter={source.filter}
          {...(source.view === 'progress' && { show: 'headings' })}
        />
      );
    case 'board':
      return (
        <BoardApp
          {...{ overview, intents, today, phone, session, prefs }}
          canInstall={false}
          inNote
          onSession={(next) => intents.openAsBoard(next)}
          {...boardDialogs(app)}
        />
      );
    case 'graph':
      return <Graph {...{ app, deps, path }} />;
  }
}

/** Preferences of a block: its text sets them, and changes by the person are not saved. */
function blockPrefs(session: string, filter: string): BoardPrefsStore {
  return new BoardPrefsStore({
    loadLocalStorage: () => ({ [session]: { filter } }),
    saveLocalStorage: () => undefined,
  });
}

function Graph(props: Pick<BlockProps, 'app' | 'deps'> & { readonly path: string }) {
  const { app, deps, path } = props;
  const box = useRef<HTMLDivElement>(null);
  // The wheel scrolls the note; with Ctrl it zooms the graph.
  useLayoutEffect(() => {
    const letNoteScroll = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    };
    const options = { capture: true, passive: true };
    box.current?.addEventListener('wheel', letNoteScroll, options);
    return () => box.current?.removeEventListener('wheel', letNoteScroll, options);
  }, []);
  return (
    <div class="atb-block-graph" ref={box}>
      <GraphApp {...{ app, deps, path }} initialTask={undefined} />
      <div class="atb-block-rest">
        <Button
          kind="quiet"
          words={t('embed.openGraph')}
          onClick={() => {
            const board = deps.overview.state.boards.find((one) => one.path === path);
            if (board !== undefined) deps.intents.openGraph(board);
          }}
        />
      </div>
    </div>
  );
}
