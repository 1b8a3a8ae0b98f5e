// The system's numbers, all in one place, as old code asks for them.

import { constants as files } from "toolsmith:node_parts/fs_arguments";
import { constants as system } from "toolsmith:node/os";

const all = { ...system.errno, ...system.priority, ...system.signals, ...files };
export const {
  O_RDONLY,
  O_WRONLY,
  O_RDWR,
  O_CREAT,
  O_EXCL,
  O_TRUNC,
  O_APPEND,
  O_SYNC,
  O_NOFOLLOW,
  O_DIRECTORY,
  S_IFMT,
  S_IFREG,
  S_IFDIR,
  S_IFLNK,
  F_OK,
  R_OK,
  W_OK,
  X_OK,
  ENOENT,
  EEXIST,
  EACCES,
  EPERM,
  SIGINT,
  SIGTERM,
  SIGKILL,
  SIGHUP,
} = all;
export default all;
