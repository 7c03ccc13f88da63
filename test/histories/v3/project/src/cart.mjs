console.log("An empty cart costs nothing.");
