import { setIcon } from 'obsidian';
import { render, type ComponentProps } from 'preact';
import type { Overview } from '../model/overview';
import { IconDrawer } from '../part/icon';
import { NoteBanner } from './note-banner';
import { NoteBar } from './note-bar';
import type { SourcePane } from './source-pane';

type Shown = Omit<ComponentProps<typeof NoteBanner>, 'fault' | 'onTryAgain'> & {
  readonly news: string | undefined;
  readonly source: SourcePane | undefined;
};

/** Bar and banners above a note. */
export class NoteHead {
  private readonly bar: HTMLElement;

  constructor(
    view: HTMLElement,
    private readonly banner: HTMLElement,
    private readonly around: { readonly overview: Overview; readonly today: () => string },
  ) {
    this.bar = createDiv();
    view.prepend(this.bar);
  }

  draw({ news, source, ...banner }: Shown): void {
    const { sessions, connection, asks } = this.around.overview.state;
    const { board } = banner;
    render(
      <IconDrawer.Provider value={setIcon}>
        <NoteBar
          board={board}
          session={sessions.find((session) => session.id === board.session)}
          online={connection.kind === 'connected'}
          today={this.around.today()}
          asks={asks}
          news={news}
          conflicts={source?.conflicts ?? 0}
          onShowConflict={() => source?.nextConflict()}
        />
      </IconDrawer.Provider>,
      this.bar,
    );
    render(
      <IconDrawer.Provider value={setIcon}>
        <NoteBanner
          {...banner}
          fault={source?.fault ?? null}
          onTryAgain={() => void source?.pull()}
        />
      </IconDrawer.Provider>,
      this.banner,
    );
  }

  close(): void {
    render(null, this.bar);
    render(null, this.banner);
  }
}
