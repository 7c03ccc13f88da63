#!/usr/bin/env node
// The file behind `baton`. Any Node can parse it, so that one too old gets a sentence instead of a stack trace.
"use strict";

var version = process.versions.node;

if (parseInt(version, 10) < 24) {
  var problem = "baton needs Node 24 or newer; this is Node v" + version + ". ";
  process.stderr.write(problem + "Install a newer one from https://nodejs.org\n");
  process.exitCode = 3;
} else {
  keepCompiledCode(process.env);
  require("./main.cjs");
}

/**
 * Between runs; NODE_DISABLE_COMPILE_CACHE=1 turns it off. In a folder of the user's own: what stands in the common
 * folder for temporary files, where Node would keep it, others may have put there. Without a home nothing is kept.
 */
function keepCompiledCode(env) {
  var nodeModule = require("node:module");
  var caches = env.XDG_CACHE_HOME || "";
  if (caches[0] !== "/") caches = env.HOME || env.USERPROFILE ? (env.HOME || env.USERPROFILE) + "/.cache" : "";
  var folder = env.NODE_COMPILE_CACHE || (caches && caches + "/baton");
  if (folder && typeof nodeModule.enableCompileCache === "function") nodeModule.enableCompileCache(folder);
}
