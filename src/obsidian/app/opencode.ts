import type { Undo } from '../../core/ports';
import type { OpenCodeHost, StartedOpenCode } from '../../core/session/opencode-host';
import { Listeners } from '../../core/session/listeners';
import type { DeviceSettings, DeviceStore } from '../adapter/device-storage';
import { notify, type Notify } from '../ui/notify';
import { ButtonComponent, type App, type Command, type Plugin } from 'obsidian';
import { TabModal } from '../ui/dialog';
import type { CoreServices } from './core-services';
import { commands } from '../ui/menu';
import { t } from '../language/text';

/** What became of the OpenCode that was started here. */
type OpenCodeState =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string };

interface OpenCodeLauncherDeps {
  /** the vault's folder; absolute */
  readonly folder: string;
  /** Loads the part that runs programs. */
  readonly host: () => Promise<OpenCodeHost>;
  readonly device: () => DeviceSettings;
  readonly notify: Notify;
  /** It runs, with the bridge of this vault if that is installed. */
  readonly runs: () => void;
}

/** Lines of the log that are kept. */
const LINES = 200;

/** The OpenCode that is started from here, at the person's word only; it is never started again by itself. */
export class OpenCodeLauncher {
  private now: OpenCodeState = { kind: 'off' };
  private started: StartedOpenCode | undefined;
  private lines: readonly string[] = [];
  private readonly changed = new Listeners<undefined>();

  constructor(private readonly deps: OpenCodeLauncherDeps) {}

  get state(): OpenCodeState {
    return this.now;
  }

  /** The last lines that OpenCode wrote, the oldest first; without secrets. */
  get log(): readonly string[] {
    return this.lines;
  }

  /** Whether the person turned it on, on this device. */
  get allowed(): boolean {
    return this.deps.device().mayStart;
  }

  get busy(): boolean {
    return this.now.kind === 'starting' || this.now.kind === 'running';
  }

  onChange(listener: () => void): Undo {
    return this.changed.add(listener);
  }

  /** The program where it is usually installed; undefined where it is not found. */
  async detect(): Promise<string | undefined> {
    return (await this.deps.host()).detect();
  }

  /** Whether the person says where it is, or it is found. */
  async has(): Promise<boolean> {
    return this.deps.device().openCodePath !== '' || (await this.detect()) !== undefined;
  }

  /** Starts it, unless it runs; tells how that went. */
  async start(): Promise<void> {
    if (this.busy || !this.allowed) return;
    this.lines = [];
    const starting: OpenCodeState = { kind: 'starting' };
    this.set(starting);
    try {
      await this.launch(starting);
    } catch (error) {
      if (this.now !== starting) return; // it was stopped, and may have been started again
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** Ends it. */
  stop(): void {
    const { started } = this;
    this.started = undefined;
    this.set({ kind: 'off' });
    started?.kill();
  }

  /** The plugin ends, and OpenCode with it. */
  close(): void {
    this.changed.clear();
    this.stop();
  }

  /** @param starting the state while this start, and no later one, is under way */
  private async launch(starting: OpenCodeState): Promise<void> {
    const { device, folder, notify, runs } = this.deps;
    const host = await this.deps.host();
    const given = device().openCodePath;
    const path = given === '' ? await host.detect() : given;
    // It may have been stopped meanwhile.
    if (this.now !== starting) return;
    if (path === undefined) {
      this.fail(t('app.openCodeNotFound'));
      return;
    }
    const started = host.start({
      ...{ path, folder },
      onLine: (line) => this.add(line),
      onExit: (how) => {
        if (this.started === started && this.now.kind === 'running') this.fail(how);
      },
    });
    this.started = started;
    const ready = await started.ready;
    if (this.started !== started) return;
    if (!ready.ok) {
      this.fail(ready.message);
      return;
    }
    this.set({ kind: 'running', url: ready.url });
    notify(t('app.openCodeRuns'));
    runs();
  }

  /** Ends what is left of it; only the person starts it again. */
  private fail(message: string): void {
    this.started?.kill();
    this.started = undefined;
    this.set({ kind: 'failed', message });
    const last = this.lines.at(-1);
    const words = last === undefined ? message : t('app.lastWords', { message, words: last });
    this.deps.notify(words, { label: t('common.tryAgain'), onClick: () => void this.start() });
  }

  private add(line: string): void {
    this.lines = [...this.lines, line].slice(-LINES);
    this.changed.call(undefined);
  }

  private set(state: OpenCodeState): void {
    this.now = state;
    this.changed.call(undefined);
  }
}

/** The state in words, for the settings and the log. */
export function openCodeWords(state: OpenCodeState): string {
  switch (state.kind) {
    case 'off':
      return t('app.openCodeOff');
    case 'starting':
      return t('app.openCodeStarts');
    case 'running':
      return t('app.openCodeRunsAt', { url: state.url });
    case 'failed':
      return state.message;
  }
}

export interface OpenCodeDeps {
  readonly openCode: OpenCodeLauncher;
  readonly device: DeviceStore;
  readonly showLog: () => void;
}

/** State and last lines of the OpenCode that was started here, as they come. */
class OpenCodeLog extends TabModal {
  private undo: Undo | undefined;

  constructor(
    app: App,
    private readonly openCode: OpenCodeLauncher,
  ) {
    super(app);
  }

  override onOpen(): void {
    const { contentEl, openCode } = this;
    this.setTitle(t('app.stateAndLog'));
    this.modalEl.addClass('atb-wide');
    const state = contentEl.createEl('p', { attr: { role: 'status' } });
    const log = contentEl.createEl('pre', {
      cls: 'atb-log',
      attr: { tabindex: '0', 'aria-label': t('app.log') },
    });
    const row = contentEl.createDiv({ cls: 'modal-button-container' });
    const button = new ButtonComponent(row).onClick(() => {
      if (openCode.busy) openCode.stop();
      else void openCode.start();
    });
    new ButtonComponent(row).setButtonText(t('common.close')).onClick(() => this.close());
    const draw = () => {
      state.setText(openCodeWords(openCode.state));
      const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 8;
      log.setText(openCode.log.length === 0 ? t('app.nothingYet') : openCode.log.join('\n'));
      if (atEnd) log.scrollTop = log.scrollHeight;
      button.setButtonText(openCode.busy ? t('app.stopOpenCode') : t('app.startOpenCode'));
      button.setDisabled(!openCode.busy && !openCode.allowed);
    };
    draw();
    this.undo = openCode.onChange(draw);
  }

  override onClose(): void {
    this.undo?.();
    this.contentEl.empty();
  }
}

/** The OpenCode that can be started from here, with its commands; undefined where none can. */
export function makeOpenCode(
  plugin: Plugin,
  { openCode: host, device }: Pick<CoreServices, 'openCode' | 'device'>,
  runs: () => void,
): OpenCodeDeps | undefined {
  if (host === undefined) return undefined;
  const { app } = plugin;
  const openCode = new OpenCodeLauncher({ ...host, device: () => device.current, notify, runs });
  // An app that quits does not always unload its plugins.
  plugin.registerEvent(app.workspace.on('quit', () => openCode.close()));
  const showLog = (): void => new OpenCodeLog(app, openCode).open();
  for (const command of openCodeCommands(openCode, showLog)) plugin.addCommand(command);
  return { openCode, device, showLog };
}

/** Commands about the OpenCode that is started from here; none is listed until that is turned on. */
function openCodeCommands(openCode: OpenCodeLauncher, showLog: () => void): readonly Command[] {
  const busy = () => openCode.busy;
  const maySee = () => busy() || openCode.state.kind === 'failed';
  return commands(
    [
      'start-opencode',
      t('app.startOpenCode'),
      () => openCode.start(),
      () => openCode.allowed && !busy(),
    ],
    ['stop-opencode', t('app.stopOpenCode'), () => openCode.stop(), busy],
    ['show-opencode-log', t('app.showLog'), showLog, maySee],
  );
}
