import './jitless';
import * as z from 'zod/mini';
import { name } from './fields';

/** A model as OpenCode's configuration names it; the model's own name may hold more slashes. */
export const modelId = name.check(z.describe('`provider/model`'));
