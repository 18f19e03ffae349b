import { tasksToolText } from '../../src/core/board/tasks-schema';
import { exactly, type Row } from '../row';

/** What the tool costs a model in each request: name, description and parameters, as JSON. */
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
        return exactly(encode(JSON.stringify(tasksToolText())).length);
      },
    },
  ];
}
