import * as z from 'zod/mini';
import { TASKS_DESCRIPTION, tasksArgs } from '../../src/core/board/tasks-schema';
import { noteToolTexts } from '../../src/core/tool/note/definitions';
import { exactResult, type Row } from '../row';

/** The cost of the tools to a model in each request: name, description and parameters, as JSON. */
export function schemaRows(): Row[] {
  return [
    {
      name: 'tool.schema',
      against: 'o200k_base',
      target: 700,
      unit: 'tokens',
      peers: true,
      measure: async () => {
        const { encode } = await import('gpt-tokenizer/encoding/o200k_base');
        const { $schema: _, ...parameters } = z.toJSONSchema(tasksArgs(), { io: 'input' });
        const tool = { name: 'tasks', description: TASKS_DESCRIPTION, parameters };
        return exactResult(encode(JSON.stringify(tool)).length);
      },
    },
    {
      name: 'note-tools.schema',
      against: 'o200k_base',
      target: 900,
      unit: 'tokens',
      peers: true,
      measure: async () => {
        const { encode } = await import('gpt-tokenizer/encoding/o200k_base');
        const sizes = noteToolTexts().map((tool) => encode(JSON.stringify(tool)).length);
        return exactResult(sizes.reduce((sum, size) => sum + size, 0));
      },
    },
  ];
}
