import type { Undo } from '../../core/ports';
import type { OpenCodeHost, StartedOpenCode } from '../../core/session/opencode-host';
import { Listeners } from '../../core/session/listeners';
import type { DeviceSettings } from '../adapter/device-settings';
import type { Notify } from './notify';

/** What became of the OpenCode that was started here. */
export type OpenCodeState =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface OpenCodeDeskDeps {
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
export class OpenCodeDesk {
  private now: OpenCodeState = { kind: 'off' };
  private started: StartedOpenCode | undefined;
  private lines: readonly string[] = [];
  private readonly changed = new Listeners<undefined>();

  constructor(private readonly deps: OpenCodeDeskDeps) {}

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
      this.fail('OpenCode was not found. Enter the path of its program in the settings.');
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
    notify('OpenCode runs in this vault. It stops with Obsidian.');
    runs();
  }

  /** Ends what is left of it; only the person starts it again. */
  private fail(message: string): void {
    this.started?.kill();
    this.started = undefined;
    this.set({ kind: 'failed', message });
    const last = this.lines.at(-1);
    const words = last === undefined ? message : `${message} Its last words: ${last}`;
    this.deps.notify(words, { label: 'Try again', onClick: () => void this.start() });
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
      return 'OpenCode was not started from here.';
    case 'starting':
      return 'OpenCode starts. In a vault that is new to it, this takes a minute.';
    case 'running':
      return `OpenCode runs at ${state.url}. It stops with Obsidian.`;
    case 'failed':
      return state.message;
  }
}
