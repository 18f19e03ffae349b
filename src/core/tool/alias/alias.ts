import type * as z from 'zod/mini';
import type { TodoManager } from '../../board/todo-manager';
import type { Tool } from '../tool';

/** Where an alias is carried out. */
export type Boards = Pick<TodoManager, 'call'>;

/** A tool of an earlier program, on the same boards. */
export interface Alias {
  readonly name: string;
  /** for the model */
  readonly description: string;
  /** what a model is told that it takes */
  readonly input: z.ZodMiniType;
  tool(boards: Boards): Tool;
}
