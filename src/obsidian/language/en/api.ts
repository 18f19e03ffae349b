import type { Messages } from '../message';

/** What other plugins do with boards. */
export const apiTexts = {
  mayIt: 'Let “{plugin}” change your boards?',
  mayItText:
    'The plugin “{plugin}” ({id}) wants to change “{title}” as shown. If you allow it, it may change tasks on all boards without asking again, and agents take its changes for yours. This applies on this device. Each change can be undone, and you can revoke this in the settings.',
  allow: 'Allow',
  dontAllow: 'Don’t allow',
  notNow: 'Not now',
  changed: '“{plugin}” changed “{title}”.',
  otherPlugins: 'Other plugins',
  otherPluginsText:
    'Plugins that asked to change boards as you, on this device. Plugins share one program with Obsidian: this is an agreement that well-behaved plugins keep, not a protection against others.',
  nobodyAsked: 'No plugin has asked.',
  mayChange: '{id} · may change boards as you',
  mayNotChange: '{id} · may not change boards',
  revoke: 'Revoke',
  revokeOf: 'Revoke for {plugin}',
  allowOf: 'Allow {plugin}',
  mayNow: '“{plugin}” may change boards as you.',
  mayNoMore: '“{plugin}” may no longer change boards.',
} as const satisfies Messages;
