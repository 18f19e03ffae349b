import './jitless';
import * as z from 'zod/mini';

/** How a person answers a permission request. */
export const permissionReply = z.enum(['once', 'always', 'reject']);
export type PermissionReply = z.infer<typeof permissionReply>;
