#!/usr/bin/env node
// The file behind `baton`. Any Node can parse it, so that one too old gets a sentence instead of a stack trace.
"use strict";

var version = process.versions.node;

// An older 22 is enough for what keeps no state; src/ports/sqlite.ts refuses the rest there.
if (parseInt(version, 10) < 22) {
  var problem = "baton needs Node 22.22.3 or newer; this is Node v" + version + ". ";
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
  if (typeof nodeModule.enableCompileCache !== "function") return;
  var folder = env.NODE_COMPILE_CACHE || cacheFolder(env);
  if (folder !== null) nodeModule.enableCompileCache(folder);
}

/** Made here, and one by one: Node tries for ever where no folder can be made, and would make a home, too. */
function cacheFolder(env) {
  var fs = require("node:fs");
  var home = env.HOME || env.USERPROFILE;
  var given = env.XDG_CACHE_HOME || "";
  var caches = given[0] === "/" ? given : home && home + "/.cache";
  if (!caches) return null;
  var folder = caches + "/baton";
  try {
    if (!fs.existsSync(caches)) fs.mkdirSync(caches, 448);
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, 448);
    return folder;
  } catch (error) {
    return error.code === "EEXIST" ? folder : null;
  }
}
