import '../../protocol/jitless';
import type { App } from 'obsidian';
import * as z from 'zod/mini';

const KEY = 'agent-task-boards-device';

/**
 * What holds for this vault on this device only, outside the vault: a vault that comes from elsewhere
 * must not name a program that is run here.
 */
const deviceSettings = z.object({
  /** whether OpenCode may be started from Obsidian */
  mayStart: z.catch(z.boolean(), false),
  /** the program of OpenCode; empty: where it is usually found */
  openCodePath: z.catch(z.string().check(z.maxLength(4_000)), ''),
});
export type DeviceSettings = z.infer<typeof deviceSettings>;

/** Settings of this device, kept by the app beside the vault. */
export class DeviceStore {
  constructor(private readonly app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>) {}

  get current(): DeviceSettings {
    const read = deviceSettings.safeParse(this.app.loadLocalStorage(KEY));
    return read.success ? read.data : deviceSettings.parse({});
  }

  change(part: Partial<DeviceSettings>): void {
    this.app.saveLocalStorage(KEY, { ...this.current, ...part });
  }
}
