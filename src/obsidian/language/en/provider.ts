import type { Messages } from '../message';

export const providerTexts = {
  model: 'Model',
  provider: 'Provider',
  providerText:
    'Runs sessions here with a model directly, beside OpenCode or without it. On this device only. Prompts, and the notes that an agent reads, are sent to the provider.',
  whole:
    'On this device an answer is shown when it is complete, not word by word, and the app follows redirects of the address.',
  unconfirmed:
    'Another program changed the provider to {address}. Nothing is sent there until you allow it or choose a provider.',
  confirm: 'Allow',
  off: 'Off',
  anotherAddress: 'Another address',
  address: 'Address',
  addressText: 'Leave empty for the provider’s own. Nothing is sent anywhere else.',
  addressOnPhone:
    'Leave empty for the provider’s own. A program on your computer has an address like http://192.168.1.5:11434/v1, and has to be open to your network.',
  key: 'Key',
  keyText:
    'Kept in Obsidian’s secret storage on this device, never in a file of the vault. Programs on your own computer mostly need none.',
  keyNotKept:
    'Kept until Obsidian closes, since this Obsidian has no secret storage. Never in a file of the vault.',
  defaultModel: 'Default model',
  defaultModelText: 'Used in sessions where neither you nor the agent chooses another model.',
  firstModel: 'The first of its list',
  connection: 'Connection',
  connectionText: 'Asks the model for one word.',
  test: 'Test connection',
  testing: 'Testing…',
  works: 'It works: {model} of {name} answers.',
  noModels: '{name} has no model yet. Add one there, then test again.',
  noConfig: 'The configuration of agents in this vault can’t be read. Open problems says why.',
  chooseModel: 'Choose another default model than “{model}”.',
} as const satisfies Messages;
