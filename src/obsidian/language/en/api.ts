import type { Messages } from '../message';

/** Texts about other plugins and their access to boards. */
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
    'Plugins that asked to change boards as you or to take part in sessions, on this device. Plugins share one program with Obsidian: this is an agreement that well-behaved plugins keep, not a protection against others.',
  nobodyAsked: 'No plugin has asked.',
  mayChange: 'May change boards as you.',
  mayNotChange: 'May not change boards.',
  revoke: 'Revoke',
  revokeOf: 'Revoke for {plugin}',
  allowOf: 'Allow {plugin}',
  mayNow: '“{plugin}” may change boards as you.',
  mayNoMore: '“{plugin}” may no longer change boards.',
  asksToChange: '“{plugin}” asks whether it may change your boards.',
  wantsToTakePart: '“{plugin}” wants to take part in sessions.',
  decide: 'Decide…',
  mayItTakePart: 'Let “{plugin}” take part in sessions?',
  mayItTakePartText:
    'The plugin “{plugin}” ({id}) wants to be called {events}. It reads what is sent then, and may change or stop prompts, calls of tools and their answers. What agents may do is still decided by your rules. If you allow it, this also applies to other events. It applies on this device, and you can revoke it in the settings.',
  eventWithPriority: '{event} (priority {priority})',
  takesPartIn: 'Takes part {events}.',
  takesNoPartIn: 'May not take part; it asked to be called {events}.',
  asksToTakePartIn: 'Waits for your answer; it asks to be called {events}.',
  takesPartNowhere: 'May take part in sessions, and does not now.',
  takesNoPart: 'May not take part in sessions.',
  revokeHooksOf: 'Revoke hooks of {plugin}',
  allowHooksOf: 'Allow hooks of {plugin}',
  takesPartNow: '“{plugin}” may take part in sessions.',
  takesPartNoMore: '“{plugin}” may no longer take part in sessions.',
} as const satisfies Messages;

/** When a hook is called, for use in a sentence. */
export const hookEventTexts = {
  'pre-prompt': 'before a prompt is sent',
  'post-prompt': 'after a prompt was sent',
  'pre-tool-use': 'before a tool is called',
  'post-tool-use': 'after a tool was called',
  'on-stop': 'when a turn ended',
  'on-error': 'when something failed',
  'on-session-init': 'when a session begins',
  'on-message-added': 'when a message was added',
  'on-context-full': 'when the context is full',
} as const satisfies Messages;
