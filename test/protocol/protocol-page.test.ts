import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { protocolPage } from './protocol-page';

const file = join(import.meta.dirname, '../../docs/PROTOCOL.md');

test('[WIRE13] docs/PROTOCOL.md says what the declarations say (write it anew with -u)', async () => {
  const page = await format(protocolPage(), { ...(await resolveConfig(file)), filepath: file });
  expect(page).toContain('### `stream.token`');
  await expect(page).toMatchFileSnapshot(file);
});
