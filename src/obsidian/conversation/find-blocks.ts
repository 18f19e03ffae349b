import { blockKey, type Block } from '../../core/session/transcript/block';
import { permissionText } from '../ask/permission-text';
import { toolWords } from './tool-words';

/** The keys of the blocks that hold some words, oldest first; none for no words. Case is no matter. */
export function findBlocks(blocks: readonly Block[], words: string): readonly string[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return [];
  return blocks
    .filter((block) => blockText(block).toLowerCase().includes(wanted))
    .map((block) => blockKey(block));
}

/** All words of a block, those that are folded too. */
function blockText(block: Block): string {
  switch (block.kind) {
    case 'prompt':
    case 'text':
    case 'thinking':
      return block.text;
    case 'tool': {
      const { name, object } = toolWords(block);
      return [name, object, block.input, block.output, block.error].join('\n');
    }
    case 'board':
      return block.changes.map(({ title }) => title).join('\n');
    case 'permission': {
      const { question, objects } = permissionText(block.request);
      return [question, ...objects].join('\n');
    }
    case 'question':
      return block.request.questions.map(({ question }) => question).join('\n');
    case 'turn':
      return block.error?.message ?? '';
    case 'missed':
      return '';
  }
}
